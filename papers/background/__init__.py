"""Background: the illustrations of chapter 2 of Klein's thesis."""
