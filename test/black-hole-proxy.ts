import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy whose connections can go dead without being closed, as if a router forgets them. */
export interface BlackHoleProxy {
  readonly port: number;
  /**
   * From now on, no byte comes back on the existing connections, and this side closes none of them. `"replies"`: the server
   * still receives the client's bytes.
   */
  readonly swallow: (what?: "all" | "replies") => void;
  /** Whether new connections go dead as soon as they are accepted. Initially `false`. */
  readonly swallowNew: (dead: boolean) => void;
  /** The number of all accepted connections. */
  readonly accepted: () => number;
  /** The number of connections that the client hasn't closed. */
  readonly open: () => number;
  readonly stop: () => Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  dead: false | "all" | "replies";
}

/** Starts a proxy for the server on `port`. */
export async function startBlackHoleProxy(port: number): Promise<BlackHoleProxy> {
  const pairs = new Set<Pair>();
  const open = new Set<Socket>();
  let accepted = 0;
  let newAreDead = false;

  function join(client: Socket): void {
    const server = connect(port, "127.0.0.1");
    const pair: Pair = { client, server, dead: newAreDead && "all" };
    pairs.add(pair);
    open.add(client);
    accepted += 1;
    const end = () => {
      open.delete(client);
      if (pair.dead) return;
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("end", end);
    client.on("data", (request) => pair.dead === "all" || server.write(request));
    server.on("data", (reply) => pair.dead || client.write(reply));
    server.on("end", () => pair.dead || end());
  }

  // Otherwise the proxy would answer the client's FIN with its own.
  const listener = createServer({ allowHalfOpen: true }, join).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no free port");
  const stop = async () => {
    const closed = once(listener, "close");
    listener.close();
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
    await closed;
  };
  return {
    port: address.port,
    swallow: (what = "all") => {
      for (const pair of pairs) pair.dead = what;
    },
    swallowNew: (dead) => {
      newAreDead = dead;
    },
    accepted: () => accepted,
    open: () => open.size,
    stop,
  };
}
