import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { pgliteBackends } from "../support/user-memory.ts";

describeUserMemoryBackend("PGlite", pgliteBackends());
describeUserMemoryBackend("PGlite, with pgvector", pgliteBackends({ pgvector: true }));
