import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import {
  backendFactory,
  reversedBackendFactory,
  reversedStoreFactory,
  storeFactory,
} from "../support/user-memory.ts";

const smoke = { rules: "smoke" } as const;

// The whole kits run on node-redis, on one server and on a Cluster. These runs have another client or other texts of
// facts.
for (const client of ["node-redis, RESP2", "node-redis pool", "ioredis", "ioredis cluster"] as const) {
  describeUserMemoryBackend(`redis, ${client}`, backendFactory(openers[client]), smoke);
  describeUserMemory(`redis, ${client}`, storeFactory(openers[client]), smoke);
}

describeUserMemoryBackend("redis, wrapped", reversedBackendFactory(openers["node-redis"]), smoke);
describeUserMemory("redis, wrapped", reversedStoreFactory(openers["node-redis"]), smoke);
