import type { RedisPort } from "../client/port.ts";

/** The store was used after it was closed. */
export class UserMemoryClosed extends Error {
  override readonly name = "UserMemoryClosed";
}

/** The same port until `close` is called: a client that was handed in goes on, and the store doesn't. */
export function closable(port: RedisPort, close: () => Promise<void>) {
  let closed = false;
  const refuse = (): Promise<never> => Promise.reject(new UserMemoryClosed("the store was closed"));
  return {
    port: {
      ...port,
      send: (args, key) => (closed ? refuse() : port.send(args, key)),
      sendInTurn: (commands, key) => (closed ? refuse() : port.sendInTurn(commands, key)),
      sendAsOne: (commands, key) => (closed ? refuse() : port.sendAsOne(commands, key)),
    } satisfies RedisPort,
    close: async (): Promise<void> => {
      closed = true;
      await close();
    },
  };
}
