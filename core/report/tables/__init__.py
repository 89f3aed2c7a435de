"""Tables: published numbers beside ours, as data, as text (csv, md, tex) and as an image."""
