"""Fabolas: Klein, Falkner, Bartels, Hennig and Hutter (AISTATS 2017), as presented in chapter 4 of Klein's thesis."""
