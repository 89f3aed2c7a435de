"""Tables and figures of chapter 5: raw runs and published numbers in, Table or Figure out."""
