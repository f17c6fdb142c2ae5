import { describeUserMemory } from "@jaf/user-memory/testing";
import { openPool, serverStores } from "../support/user-memory.ts";

describeUserMemory("postgres, pool", serverStores(openPool));
