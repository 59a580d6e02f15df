"""The memory slot: the shapes in which hosts expect the tools of a memory to answer."""
