"""What the thesis says about LC-Net, each claim beside its check."""
