"""BOHB: Falkner, Klein and Hutter (ICML 2018), as presented in chapter 6 and appendix C of Klein's thesis."""
