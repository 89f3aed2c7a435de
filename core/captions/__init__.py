"""Captions of images by log-bilinear language models (Kiros et al. 2014): words, models, training, search and BLEU."""
