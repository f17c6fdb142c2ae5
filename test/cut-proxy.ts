import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that loses replies. */
export interface CutProxy {
  readonly port: number;
  /** The number of lost replies. */
  readonly cuts: () => number;
  readonly stop: () => Promise<void>;
}

/**
 * Forwards a client's requests. If `cut` returns `true` for a request, the connection is broken when the server's reply
 * arrives, and the client never receives it: the request has succeeded, but the client must assume that it failed.
 */
export async function startCutProxy(port: number, cut: (request: Buffer) => boolean): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;

  function join(client: Socket): void {
    const server = connect(port, "127.0.0.1");
    let armed = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (request) => {
      armed ||= cut(request);
      server.write(request);
    });
    server.on("data", (reply) => {
      if (!armed) return void client.write(reply);
      cuts += 1;
      end();
    });
  }

  const listener = createServer(join).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no free port");
  const stop = async () => {
    if (!listener.listening) return;
    const closed = once(listener, "close");
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: address.port, cuts: () => cuts, stop };
}
