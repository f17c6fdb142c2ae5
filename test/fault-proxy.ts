import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * How bytes are handled. `"pass"`: forwarded. `"hole"`: connections stay open without any data, as if a firewall has
 * forgotten them; new connections work. `"refuse"`: existing and new connections are reset. A number: the delay of every
 * piece in milliseconds, in both directions.
 */
export type ProxyMode = "pass" | "hole" | "refuse" | number;

/** A TCP proxy for a server on this machine. */
export interface FaultProxy {
  readonly port: number;
  readonly set: (mode: ProxyMode) => void;
  readonly stop: () => Promise<void>;
}

interface Joined {
  readonly sockets: readonly [Socket, Socket];
  isHole: boolean;
}

export async function startFaultProxy(port: number): Promise<FaultProxy> {
  const joined = new Set<Joined>();
  let mode: ProxyMode = "pass";

  const reset = ({ sockets }: Joined) => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  async function passOn(pair: Joined, to: Socket, piece: Buffer): Promise<void> {
    if (typeof mode === "number") await sleep(mode);
    if (!pair.isHole && !to.destroyed) to.write(piece);
  }

  function join(client: Socket): void {
    if (mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const server = connect(port, "127.0.0.1");
    const pair: Joined = { sockets: [client, server], isHole: false };
    joined.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      // Pieces keep their order: each waits for the one before.
      let passed = Promise.resolve();
      from.setNoDelay(true);
      from.on("data", (piece: Buffer) => {
        passed = passed.then(() => passOn(pair, to, piece));
      });
      from.on("error", () => {});
      from.on("close", () => {
        joined.delete(pair);
        if (!pair.isHole) to.destroy();
      });
    }
  }

  const listener = createServer(join).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no free port");
  return {
    port: address.port,
    set: (next) => {
      mode = next;
      if (next === "refuse") joined.forEach(reset);
      if (next === "hole") for (const pair of joined) pair.isHole = true;
    },
    stop: async () => {
      const closed = once(listener, "close");
      listener.close();
      joined.forEach(reset);
      await closed;
    },
  };
}
