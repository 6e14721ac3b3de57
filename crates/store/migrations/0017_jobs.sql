-- One job system: jobs get a payload, a priority and a history of attempts, and failed ones stay visible.

-- No worker ever took these.
DELETE FROM job WHERE queue = 'summary';
DROP INDEX job_due;
ALTER TABLE job RENAME COLUMN queue TO kind;
-- Not claimed before this time.
ALTER TABLE job RENAME COLUMN run_at TO run_after;
-- JSON; NULL for kinds whose key says everything.
ALTER TABLE job ADD COLUMN payload TEXT;
-- 0 low, 1 normal, 2 high.
ALTER TABLE job ADD COLUMN priority {int} NOT NULL DEFAULT 1;
-- Claims since the last success; an attempt that a pause or a shutdown cut short is given back.
ALTER TABLE job ADD COLUMN attempts {int} NOT NULL DEFAULT 0;
-- Code of the last failed attempt (model::job::JobError).
ALTER TABLE job ADD COLUMN last_error TEXT;
-- When it was given up. NULL: it is still tried.
ALTER TABLE job ADD COLUMN failed_at {int};
-- Enqueued again while a worker had it: it runs once more instead of being deleted.
ALTER TABLE job ADD COLUMN requeued BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE job ADD COLUMN created_at {int} NOT NULL DEFAULT 0;
UPDATE job SET created_at = run_after;
CREATE INDEX job_due ON job (kind, priority, run_after, id) WHERE failed_at IS NULL;
CREATE INDEX job_failed ON job (failed_at, id) WHERE failed_at IS NOT NULL;
