"""The inspector: pages in the browser that show a store and what agents did with it."""
