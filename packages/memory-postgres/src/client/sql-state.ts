/** Whether it is an error of a driver or the server with one of these codes. */
export const hasCode = (thrown: unknown, codes: ReadonlySet<unknown>): boolean =>
  thrown instanceof Error && "code" in thrown && codes.has(thrown.code);
