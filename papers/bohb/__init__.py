"""BOHB: Falkner, Klein and Hutter (ICML 2018), as chapter 6 and appendix C of Klein's thesis have it."""
