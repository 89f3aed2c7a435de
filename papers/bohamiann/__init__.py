"""BOHAMIANN: Springenberg, Klein, Falkner and Hutter (NIPS 2016), and chapter 3 of Klein's thesis."""
