create table users (
  id integer primary key, name text not null, email text not null unique, role text not null);
create table projects (id integer primary key, name text not null unique);
create table members (
  project_id integer not null references projects (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  primary key (project_id, user_id));
create table issues (
  id integer primary key, title text not null, body text, status text not null,
  created_at text not null, closed_at text, deleted_at text,
  project_id integer not null references projects (id),
  author_id integer not null references users (id),
  assignee_id integer references users (id));
create table comments (
  id integer primary key, body text not null, created_at text not null,
  issue_id integer not null references issues (id), author_id integer not null references users (id));
create table labels (id integer primary key, name text not null unique, color text not null);
create table issue_label (
  issue_id integer not null references issues (id) on delete cascade,
  label_id integer not null references labels (id) on delete cascade,
  primary key (issue_id, label_id));
create table attachments (
  id integer primary key, name text not null, content blob not null,
  issue_id integer not null references issues (id));
create table audit_log (
  id integer primary key, at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  user_id text not null, operation text not null, type text not null, resource_id text not null, fields text);
create table jobs (id integer primary key, task text not null, issue_id integer not null);
create index members_user on members (user_id);
create index issues_project on issues (project_id);
create index issues_author on issues (author_id);
create index issues_assignee on issues (assignee_id);
create index comments_issue on comments (issue_id);
create index comments_author on comments (author_id);
create index issue_label_label on issue_label (label_id);
create index attachments_issue on attachments (issue_id);
