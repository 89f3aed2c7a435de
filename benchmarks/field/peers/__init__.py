"""Peers as objects that ask and tell; these modules run in the peers' environment."""
