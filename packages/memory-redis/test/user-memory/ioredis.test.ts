import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory } from "../support/user-memory.ts";

describeUserMemoryBackend("redis, ioredis", backendFactory(openers.ioredis));
