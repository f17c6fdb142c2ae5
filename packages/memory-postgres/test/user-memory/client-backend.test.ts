import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openClient, serverBackends } from "../support/user-memory.ts";

describeUserMemoryBackend("postgres, one client", serverBackends(openClient));
