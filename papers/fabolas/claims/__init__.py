"""What the chapter claims, one decorated function a claim."""
