"""Networks that classify images, one file each: modules from inputs (n, 3, size, size) to logits (n, classes).

convolutional       three convolutions with batch normalization (Fabolas, thesis 4.5.3)
all_convolutional   the generic network of DNGO (Tables 3 and 5)
residual            residual networks of BOHAMIANN, He et al.'s among them (NIPS 6.3)
shake_shake         residual networks of two branches with random weights (BOHB, thesis 6.4.5)
"""
