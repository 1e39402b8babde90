"""The Reasoner seam: what thinks at each step."""
