using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);

const worker :Workerd.Worker = (
  modules = [
    (name = "worker", esModule = embed "bundle.js"),
    (name = "bulkheads.wasm", wasm = embed "bulkheads.wasm"),
  ],
  compatibilityDate = "2026-01-01",
);
