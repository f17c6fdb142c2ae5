import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { deserialize, serialize } from "node:v8";
import type { MemoryBackend } from "../../../src/contract/backend.ts";
import { openIntactBackend } from "../broken/backend.ts";

interface Call {
  readonly id: number;
  readonly store: string;
  readonly method: Exclude<keyof MemoryBackend, "name" | "toMemoryError" | "history">;
  readonly given: readonly unknown[];
}

/** One line each, to separate them. */
const encode = (value: unknown): string => `${serialize(value).toString("base64")}\n`;
const decode = (line: string): unknown => deserialize(Buffer.from(line, "base64"));

/** Starts intact storages by name, which other processes connect to like a database. */
export async function startStorages() {
  const storages = new Map<string, MemoryBackend>();

  const storageOf = (store: string): MemoryBackend => {
    const storage = storages.get(store) ?? openIntactBackend();
    storages.set(store, storage);
    return storage;
  };

  function serve(socket: Socket): void {
    createInterface(socket).on("line", async (line) => {
      const { id, store, method, given } = decode(line) as Call;
      const storage = storageOf(store);
      const result: unknown = await Reflect.apply(storage[method], storage, given);
      socket.write(encode({ id, result }));
    });
    socket.on("error", () => {});
    socket.unref();
  }

  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    port: address.port,
    storageOf,
    drop: (store: string) => void storages.delete(store),
    stop: () => void server.close(),
  };
}

/** Connects to a storage of another process. */
export function reachStorage(socket: Socket, store: string): MemoryBackend {
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  createInterface(socket).on("line", (line) => {
    const { id, result } = decode(line) as { readonly id: number; readonly result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const reach = (method: Call["method"]) =>
    ((...given: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        // A late call of a broken layer, after its rule is over.
        if (socket.writableEnded) return reject(new Error("the storage was closed"));
        lastId += 1;
        waiting.set(lastId, resolve);
        socket.write(encode({ id: lastId, store, method, given } satisfies Call));
      })) as never;
  const { toMemoryError, name } = openIntactBackend();
  return {
    ...{ name, toMemoryError, write: reach("write"), read: reach("read"), find: reach("find") },
    ...{ delete: reach("delete"), clearUser: reach("clearUser"), stats: reach("stats"), ping: reach("ping") },
    close: async () => void socket.end(),
  };
}
