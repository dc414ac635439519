"""The training of the nets: the outcome net of `winprob`, the holder nets and the nets of the learned players."""
