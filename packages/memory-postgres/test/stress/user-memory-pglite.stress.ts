import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { pgliteBackends, pgliteStores } from "../support/user-memory.ts";

describeUserMemoryBackend("PGlite", pgliteBackends());
describeUserMemoryBackend("PGlite, with pgvector", pgliteBackends({ pgvector: true }));
describeUserMemory("PGlite", pgliteStores());
