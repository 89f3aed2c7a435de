"""The shapes of the rows of claims.yaml that are this paper's own."""
