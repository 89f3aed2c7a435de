"""Changes of settings' names, carried over to raw runs that were made before them; each is run once."""
