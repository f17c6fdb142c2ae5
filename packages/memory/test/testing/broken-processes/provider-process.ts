/** Serves providers on a storage of the tests' process, behind a broken layer in this process. */
import { connect } from "node:net";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import { serveProviders } from "@jaf/memory/testing";
import type { MemoryBackend } from "../../../src/contract/backend.ts";
import { brokenProcesses } from "./processes.ts";
import { reachStorage } from "./storage-server.ts";

export interface StorageAddress {
  readonly port: number;
  readonly store: string;
  /** The name of the layer. Absent for an intact store. */
  readonly broken?: string;
}

const backends = new Map<string, MemoryBackend>();

function backendOf({ port, store, broken }: StorageAddress): MemoryBackend {
  const known = backends.get(store);
  if (known !== undefined) return known;
  const storage = reachStorage(connect(port, "127.0.0.1"), store);
  const layer = broken === undefined ? {} : brokenProcesses[broken]?.layer(storage, store);
  const backend = { ...storage, ...layer, close: async () => {} };
  backends.set(store, backend);
  return backend;
}

serveProviders(async (place: StorageAddress) => defineMemoryProvider(backendOf(place)));
