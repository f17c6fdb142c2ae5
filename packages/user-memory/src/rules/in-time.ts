/** What an action of somebody else's resolves with. Rejects if it takes longer; then nobody waits for it any more. */
export async function inTime<T>(timeoutMs: number, action: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([Promise.resolve().then(action), late]);
  } finally {
    clearTimeout(timer);
  }
}
