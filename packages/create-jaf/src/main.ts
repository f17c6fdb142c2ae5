#!/usr/bin/env node
import { intro } from "@clack/prompts";

intro("JAF");
