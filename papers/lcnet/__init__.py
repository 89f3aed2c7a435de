"""LC-Net: Klein, Falkner, Springenberg and Hutter (ICLR 2017), as presented in chapter 5 of Klein's thesis."""
