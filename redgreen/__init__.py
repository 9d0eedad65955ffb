"""What every stage shares and no plug-in may change: documents, contract, git, trees, the gate, the verdict."""
