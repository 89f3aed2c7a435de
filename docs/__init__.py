"""The documentation: pages to read, and `docs.pages`, which makes a site of them and of what the code says."""
