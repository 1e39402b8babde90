"""The one retriever that both modes share: analyzer, index, candidates, fusion."""
