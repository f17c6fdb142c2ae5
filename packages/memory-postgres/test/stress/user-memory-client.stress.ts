import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openClient, serverBackends, serverStores } from "../support/user-memory.ts";

const smoke = { rules: "smoke" } as const;

// The whole kits run on a pool of the same server.
describeUserMemoryBackend("postgres, one client", serverBackends(openClient), smoke);
describeUserMemory("postgres, one client", serverStores(openClient), smoke);
