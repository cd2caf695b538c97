-- A city library with four branches, 2025. Every value follows from its row number.
create table members (member_id integer primary key, joined_on text, age_group text, home_branch text, blocked text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 700)
insert into members
select i, date('2025-01-01', '+' || ((i * 3571 % 983) % 364) || ' days'),
  case (i * 104729 % 997) % 6 when 0 then 'child' when 1 then 'student' when 2 then 'staff' else 'adult' end,
  case (i * 7919 % 1009) % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  case when (i * 2741 % 977) % 9 = 0 then 'y' else 'n' end
from n;

create table items (item_id integer primary key, title text, kind text, branch text, acquired_on text, withdrawn_on text, for_loan text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
insert into items
select i, 'title ' || (1 + (i * 6007 % 7907) % 60),
  case (i * 6151 % 1013) % 6 when 0 then 'dvd' when 1 then 'game' when 2 then 'magazine' else 'book' end,
  case (i * 3089 % 1019) % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  date('2025-01-01', '+' || ((i * 8147 % 1049) % 364) || ' days'),
  case when (i * 1933 % 971) % 7 = 0 then date('2025-11-01', '+' || (i % 50) || ' days') end,
  case when (i * 2089 % 1031) % 8 = 0 then 'n' else 'y' end
from n;

create table loans (loan_id integer primary key, item_id integer, member_id integer, branch text, out_on text, due_on text, back_on text, renewals integer, channel text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
insert into loans
select i, 1 + (i * 5081 % 7919) % 1200, 1 + (i * 7411 % 7907) % 700,
  case (i * 4421 % 1091) % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  date('2025-01-01', '+' || ((i * 9001 % 1093) % 364) || ' days'),
  date('2025-01-01', '+' || ((i * 9001 % 1093) % 364 + 21) || ' days'),
  case when (i * 3461 % 1063) % 12 > 0 then date('2025-01-01', '+' || ((i * 9001 % 1093) % 364 + 3 + (i * 613 % 1051) % 30) || ' days') end,
  (i * 911 % 967) % 3,
  case (i * 2713 % 1097) % 4 when 0 then 'desk' when 1 then 'bus' else 'machine' end
from n;

create table fines (fine_id integer primary key, loan_id integer, cents integer, state text, raised_on text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2600)
insert into fines
select i, 1 + (i * 5081 % 8999) % 9000, 50 + (i * 7001 % 1069) % 40 * 25,
  case (i * 2311 % 1061) % 5 when 0 then 'open' when 1 then 'waived' when 2 then 'disputed' else 'paid' end,
  date('2025-01-01', '+' || ((i * 9767 % 1117) % 364) || ' days')
from n;

create table holds (hold_id integer primary key, member_id integer, branch text, placed_on text, ready_on text, state text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into holds
select i, 1 + (i * 7411 % 7907) % 700,
  case (i * 4099 % 1033) % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  date('2025-01-01', '+' || ((i * 4721 % 1109) % 350) || ' days'),
  case when (i * 1543 % 1039) % 6 > 0 then date('2025-01-01', '+' || ((i * 4721 % 1109) % 350 + 1 + (i * 1277 % 1103) % 25) || ' days') end,
  case (i * 1543 % 1039) % 6 when 0 then 'waiting' when 1 then 'expired' when 2 then 'ready' else 'collected' end
from n;

create table doors (branch text, day text, visitors integer, closed text, counter text);
with recursive n(i) as (select 0 union all select i + 1 from n where i < 2911)
insert into doors
select case i % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  date('2025-01-01', '+' || (i / 8) || ' days'),
  20 + (i * 7001 % 1069) % 300,
  case when (i / 8) % 7 = 4 then 'y' else 'n' end,
  case when i % 8 < 4 then 'main' else 'side' end
from n;

create table events (event_id integer primary key, branch text, day text, kind text, seats integer, attended integer, cancelled text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 900)
insert into events
select i, case (i * 4421 % 1091) % 4 when 0 then 'CEN' when 1 then 'NOR' when 2 then 'HAR' else 'EAS' end,
  date('2025-01-01', '+' || ((i * 613 % 1051) % 364) || ' days'),
  case (i * 2311 % 1061) % 4 when 0 then 'reading' when 1 then 'workshop' when 2 then 'tour' else 'story time' end,
  10 + i % 40, 3 + (i * 911 % 967) % 30,
  case when (i * 1873 % 1087) % 9 = 0 then 'y' else 'n' end
from n;
