"""Changes of settings' names, carried over to the raw runs made before them; each migration is run once."""
