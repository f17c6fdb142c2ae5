import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { reversedBackendFactory, reversedStoreFactory } from "../support/user-memory.ts";

const open = openers["node-redis"];

describeUserMemoryBackend("redis, wrapped", reversedBackendFactory(open));
describeUserMemory("redis, wrapped", reversedStoreFactory(open));
