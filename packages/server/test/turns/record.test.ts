import { createInMemoryUserMemory } from "@jaf/user-memory";
