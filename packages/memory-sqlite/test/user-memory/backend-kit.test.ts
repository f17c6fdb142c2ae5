import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { createBackends } from "../support/user-memory.ts";

describeUserMemoryBackend("sqlite", createBackends);
