/** Next calls this once, as a server starts: turns that an earlier process left open go on then. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { openJaf } = await import("./lib/jaf");
  await openJaf();
}
