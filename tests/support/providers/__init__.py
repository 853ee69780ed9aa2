"""Wire forms of the providers of chat models; `catalog` has them all."""
