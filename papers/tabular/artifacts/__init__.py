"""Tables and figures of chapter 7 and appendix D: raw runs and published numbers in, Table or Figure out."""
