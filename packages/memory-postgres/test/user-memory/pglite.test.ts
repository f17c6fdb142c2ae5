import { describeUserMemory } from "@jaf/user-memory/testing";
import { pgliteStores } from "../support/user-memory.ts";

describeUserMemory("PGlite", pgliteStores());
