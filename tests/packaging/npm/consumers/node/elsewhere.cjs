// Run before a program: makes it think that it is on a machine for which no engine is published.
Object.defineProperty(process, 'arch', { value: 'riscv64' });
