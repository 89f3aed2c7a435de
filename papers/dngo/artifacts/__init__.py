"""DNGO's table and figures: raw runs in, Table or Figure out."""
