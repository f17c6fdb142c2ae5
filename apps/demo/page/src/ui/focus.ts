/** Where what had the focus is gone from the page: gives it to what stands for it, so that the keyboard doesn't begin anew. */
export function refocus(element: HTMLElement | null): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) element?.focus({ preventScroll: true });
}

/** Refocuses once the change that is under way is drawn. */
export function refocusLater(find: () => HTMLElement | null): void {
  requestAnimationFrame(() => requestAnimationFrame(() => refocus(find())));
}
