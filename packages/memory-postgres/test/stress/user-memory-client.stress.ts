import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openClient, serverBackends, serverStores } from "../support/user-memory.ts";

describeUserMemoryBackend("postgres, one client", serverBackends(openClient));
describeUserMemory("postgres, one client", serverStores(openClient));
