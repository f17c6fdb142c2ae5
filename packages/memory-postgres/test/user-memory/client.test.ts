import { describeUserMemory } from "@jaf/user-memory/testing";
import { openClient, serverStores } from "../support/user-memory.ts";

describeUserMemory("postgres, one client", serverStores(openClient));
