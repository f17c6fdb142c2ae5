import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openPool, serverBackends } from "../support/user-memory.ts";

describeUserMemoryBackend("postgres, pool", serverBackends(openPool));
