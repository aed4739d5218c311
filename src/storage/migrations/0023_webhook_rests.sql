-- While an endpoint fails it is tried one delivery at a time, with growing pauses: when the next may go, and why the last one failed.
alter table webhook_endpoints add column resumes_at bigint;
alter table webhook_endpoints add column failing_because text;
