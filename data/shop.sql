-- The warehouse of an online shop in six South-East Asian markets, July 2024 to December 2025.
--
-- One script, no randomness, no files read: every value follows from its row number, so two builds are equal
-- cell by cell. The tables hold what makes questions hard: rows in two time zones, test orders, bots, NULLs,
-- a superseded copy of a table, columns that look alike, rows exactly at midnight.
--
-- The warehouse was frozen on 2 January 2026; its last full day, 2025-12-31, is `as_of` in autotest.config.yaml.

CREATE SCHEMA traffic;
CREATE SCHEMA commerce;
CREATE SCHEMA ads;
CREATE SCHEMA support;

-- A number from 0 to n - 1 that depends on the row and on what it is for. MD5, unlike hash(), will not change
-- between versions of the engine; md5_number_lower(), which is the same half of it, takes four times as long.
CREATE MACRO pick(i, purpose, n) AS ((md5_number(i || ':' || purpose) >> 64)::UBIGINT % n)::BIGINT;
-- True for about `percent` of the rows.
CREATE MACRO chance(i, purpose, percent) AS pick(i, purpose, 1000) < percent * 10;
-- A moment from 2024-07-01 up to 2026-01-02 that becomes more likely as the shop grows. One row in 40 comes from the
-- import at the start of a month and stands at midnight exactly; one in 20 falls on a day of big sales.
CREATE MACRO moment(i, purpose) AS (
  CASE
    WHEN i % 40 = 0 THEN TIMESTAMP '2024-07-01' + to_months(pick(i, purpose || ' month', 19)::INTEGER)
    WHEN i % 20 = 1 THEN
      ([TIMESTAMP '2024-11-11', TIMESTAMP '2024-12-12', TIMESTAMP '2025-11-11', TIMESTAMP '2025-12-12'])[pick(i, purpose || ' sale', 4) + 1]
        + to_seconds(pick(i, purpose, 86400))
    ELSE TIMESTAMP '2024-07-01' + to_seconds(
      (551 * 86400 * (0.25 * pick(i, purpose, 1000000) + 0.75 * greatest(
        pick(i, purpose, 1000000), pick(i, purpose || ' growth', 1000000))) / 1000000)::BIGINT)
  END);
CREATE MACRO market_of(i, purpose) AS
  (['ID', 'ID', 'ID', 'ID', 'TH', 'TH', 'TH', 'PH', 'PH', 'SG', 'SG', 'MY', 'MY', 'VN', 'VN', 'VN'])[pick(i, purpose, 16) + 1];

CREATE TABLE commerce.markets AS
SELECT * FROM (VALUES
  ('ID', 'Indonesia',   'IDR', 7, 9.0),
  ('TH', 'Thailand',    'THB', 7, 5.5),
  ('PH', 'Philippines', 'PHP', 8, 4.0),
  ('SG', 'Singapore',   'SGD', 8, 2.0),
  ('MY', 'Malaysia',    'MYR', 8, 3.0),
  ('VN', 'Vietnam',     'VND', 7, 4.5)
) AS t(market, name, currency, utc_offset_hours, size);

---------------------------------------------------------------------------------------------------- daily tables
-- Every day twice: tz_type 'local' cuts it at the market's midnight, 'regional' at Singapore's.

CREATE TEMP TABLE day AS
SELECT market, size, cast(d AS DATE) AS day, tz_type,
  market || strftime(d, '%Y%m%d') || tz_type AS k,
  -- Growth over the period, busier weekends, and the sales of 11.11 and 12.12.
  size * (1 + 0.0011 * date_diff('day', DATE '2024-07-01', d))
    * (CASE WHEN dayofweek(d) IN (0, 6) THEN 1.12 ELSE 1 END)
    * (CASE WHEN strftime(d, '%m-%d') IN ('11-11', '12-12') THEN 2.4 ELSE 1 END)
    * (CASE WHEN tz_type = 'regional' THEN 0.91 ELSE 1 END) AS volume
FROM commerce.markets
CROSS JOIN range(TIMESTAMP '2024-07-01', TIMESTAMP '2026-01-03', INTERVAL 1 DAY) AS days(d)
CROSS JOIN (VALUES ('local'), ('regional')) AS zones(tz_type);

CREATE TABLE traffic.shopee_traffic_dws_platform_active_churn_nd__reg_s0_live AS
SELECT
  market AS grass_region,
  day AS grass_date,
  tz_type,
  (volume * (52 + pick(k, 'a1', 9)))::BIGINT AS a1,       -- active on the day
  (volume * (171 + pick(k, 'a7', 13)))::BIGINT AS a7,     -- in the last 7 days
  (volume * (402 + pick(k, 'a30', 21)))::BIGINT AS a30,   -- in the last 30 days
  (volume * (4 + pick(k, 'new', 3)))::BIGINT AS new_users,
  (volume * (2 + pick(k, 'churn', 3)))::BIGINT AS churned_users
FROM day ORDER BY grass_date, grass_region, tz_type;
ALTER TABLE traffic.shopee_traffic_dws_platform_active_churn_nd__reg_s0_live ADD PRIMARY KEY (grass_region, grass_date, tz_type);

CREATE TABLE commerce.shopee_commerce_dws_order_metrics_nd__reg_s0_live AS
SELECT
  market AS grass_region,
  day AS grass_date,
  tz_type,
  (volume * (1900 + pick(k, 'gmv', 40000) / 100.0))::DECIMAL(14, 2) AS gmv,
  (volume * (1500 + pick(k, 'net', 30000) / 100.0))::DECIMAL(14, 2) AS net_gmv,
  (volume * (61 + pick(k, 'orders', 9)))::BIGINT AS orders,
  (volume * (44 + pick(k, 'buyers', 7)))::BIGINT AS buyers,
  (volume * (3 + pick(k, 'cancelled', 3)))::BIGINT AS cancelled_orders
FROM day ORDER BY grass_date, grass_region, tz_type;
ALTER TABLE commerce.shopee_commerce_dws_order_metrics_nd__reg_s0_live ADD PRIMARY KEY (grass_region, grass_date, tz_type);

---------------------------------------------------------------------------------------------------------- visits

CREATE TABLE traffic.visits AS
WITH raw AS (
  SELECT i, market_of(i, 'visit market') AS market, moment(i, 'visit') AS started_at
  FROM range(1, 60001) AS t(i)
)
SELECT
  i AS visit_id,
  -- A visitor comes back within the week, sometimes in the next.
  1000000 + ascii(market[1]) * 10000 + date_diff('week', TIMESTAMP '2024-07-01', started_at) * 70 + pick(i, 'visitor', 90) AS visitor_id,
  CASE WHEN chance(i, 'logged in', 60) THEN 500000 + pick(i, 'visit account', 12000) END AS account_id,
  market,
  (['android', 'android', 'android', 'ios', 'ios', 'web_mobile', 'web_desktop'])[pick(i, 'visit device', 7) + 1] AS device_type,
  (['organic', 'organic', 'paid_search', 'social', 'email', 'direct'])[pick(i, 'visit channel', 6) + 1] AS channel,
  (['/', '/flash-sale', '/category/phones', '/category/home', '/category/beauty', '/category/fashion', '/category/toys',
    '/brands', '/vouchers', '/live', '/help'])[1 + least(pick(i, 'page', 11), pick(i, 'page again', 11))] AS landing_page,
  started_at,
  -- Phones report visits when they are next online.
  started_at + to_minutes(pick(i, 'ingest lag', 2880)) AS ingested_at,
  (1 + CASE WHEN chance(i, 'bounce', 35) THEN 0 ELSE pick(i, 'pages', 14) END)::INTEGER AS page_views,
  -- The tracker loses the end of about one visit in six.
  CASE WHEN NOT chance(i, 'no end', 16) THEN (12 + pick(i, 'duration', 900))::INTEGER END AS duration_seconds,
  chance(i, 'bot', 9) AS is_bot,
  chance(i, 'staff', 3) AS is_internal
FROM raw
WHERE started_at + to_minutes(pick(i, 'ingest lag', 2880)) < TIMESTAMP '2026-01-03'
ORDER BY started_at, visit_id;

---------------------------------------------------------------------------------------------------------- orders

CREATE TABLE commerce.orders AS
WITH placed AS (
  SELECT i, market_of(i, 'order market') AS market, moment(i, 'order') AS created_at,
    (['completed', 'completed', 'completed', 'completed', 'completed', 'shipped', 'paid', 'paid', 'refunded',
      'cancelled', 'cancelled', 'pending'])[pick(i, 'status', 12) + 1] AS wanted_status,
    400 + pick(i, 'cents', 6000) + pick(i, 'more cents', 90) * pick(i, 'even more', 90) AS cents
  FROM range(1, 30001) AS t(i)
), raw AS (
  SELECT *,
    -- Bank transfers arrive up to five days later, cards and imported orders at once.
    created_at + to_minutes(CASE WHEN i % 40 = 0 OR chance(i, 'card', 25) THEN 0 ELSE pick(i, 'payment lag', 7200) END) AS money_at,
    CASE WHEN wanted_status <> 'cancelled' AND money_at >= TIMESTAMP '2026-01-03' THEN 'pending' ELSE wanted_status END AS status
  FROM placed
)
SELECT
  700000 + i AS order_id,
  500000 + ascii(market[1]) * 100 + least(pick(i, 'account', 2600), pick(i, 'or account', 2600)) AS account_id,
  -- The installation the order came from; people share devices and use several.
  900000 + ascii(market[1]) * 100 + pick(i, 'client', 520) AS client_id,
  CASE WHEN chance(i, 'from visit', 85) THEN 1 + pick(i, 'visit', 60000) END AS visit_id,
  market,
  (['android', 'android', 'android', 'ios', 'ios', 'web_mobile', 'web_desktop'])[pick(i, 'device', 7) + 1] AS device_type,
  (['organic', 'organic', 'paid_search', 'social', 'email', 'direct'])[pick(i, 'channel', 6) + 1] AS channel,
  status,
  chance(i, 'test', 6) AS is_test,
  chance(i, 'gift', 11) AS is_gift,
  created_at,
  -- Some cancelled orders had been paid, pending ones never were.
  CASE
    WHEN status = 'pending' OR money_at >= TIMESTAMP '2026-01-03' THEN NULL
    WHEN status = 'cancelled' AND chance(i, 'unpaid', 40) THEN NULL
    ELSE money_at
  END AS paid_at,
  (cents / 100.0)::DECIMAL(12, 2) AS revenue,
  -- As invoiced: with shipping and before vouchers.
  (cents / 100.0 * 1.08 + pick(i, 'shipping', 500) / 100.0)::DECIMAL(12, 2) AS billed_revenue,
  (pick(i, 'shipping', 500) / 100.0)::DECIMAL(12, 2) AS shipping_fee,
  CASE WHEN chance(i, 'voucher', 30) THEN (cents * 0.0008)::DECIMAL(12, 2) END AS voucher_amount
FROM raw ORDER BY created_at, order_id;

-- Superseded in July 2025 and no longer filled. Its revenue was in the old unit, before marketplace fees.
CREATE TABLE commerce.orders_v1 AS
SELECT * REPLACE (
  (revenue * 1.17)::DECIMAL(12, 2) AS revenue,
  account_id - pick(order_id, 'old account', 40) AS account_id,
  CASE WHEN paid_at < TIMESTAMP '2025-07-01' THEN paid_at END AS paid_at)
FROM commerce.orders
WHERE created_at < TIMESTAMP '2025-06-30 18:00:00' AND NOT chance(order_id, 'lost in v1', 12)
ORDER BY created_at, order_id;

CREATE TABLE commerce.products AS
SELECT
  3000 + i AS product_id,
  (['Aurora', 'Borneo', 'Citra', 'Dahlia', 'Elang', 'Fajar', 'Garuda', 'Hana'])[pick(i, 'brand', 8) + 1] || ' '
    || (['phone', 'case', 'lamp', 'kettle', 'serum', 'shirt', 'sneaker', 'robot', 'puzzle', 'charger'])[pick(i, 'thing', 10) + 1]
    || ' ' || i AS name,
  (['phones', 'home', 'beauty', 'fashion', 'toys'])[pick(i, 'category', 5) + 1] AS category,
  (['Aurora', 'Borneo', 'Citra', 'Dahlia', 'Elang', 'Fajar', 'Garuda', 'Hana'])[pick(i, 'brand', 8) + 1] AS brand,
  80 + pick(i, 'seller', 25) AS seller_id,
  -- Some that sold well are no longer listed.
  i % 9 <> 2 AND NOT chance(i, 'delisted', 10) AS is_active
FROM range(1, 121) AS t(i);

CREATE TABLE commerce.order_items AS
SELECT
  order_id,
  line_no::INTEGER AS line_no,
  3001 + least(pick(order_id, 'product ' || line_no, 120), pick(order_id, 'product or ' || line_no, 120)) AS product_id,
  (1 + least(pick(order_id, 'quantity ' || line_no, 6), pick(order_id, 'or quantity ' || line_no, 6)))::INTEGER AS quantity,
  (CASE WHEN chance(order_id, 'returned ' || line_no, 8) THEN 1 ELSE 0 END)::INTEGER AS returned_quantity,
  300 + pick(order_id, 'unit ' || line_no, 5000) AS unit_price_cents,
  CASE WHEN chance(order_id, 'discounted ' || line_no, 25) THEN pick(order_id, 'discount ' || line_no, 200) END AS discount_cents
FROM commerce.orders
CROSS JOIN range(1, 5) AS lines(line_no)
WHERE line_no <= 1 + pick(order_id, 'lines', 4)
ORDER BY order_id, line_no;

-- An order may be refunded in parts, and a request may be turned down.
CREATE TABLE commerce.refunds AS
WITH raw AS (
  SELECT order_id, part, order_id || '/' || part AS k, created_at
  FROM commerce.orders
  CROSS JOIN range(1, 3) AS parts(part)
  WHERE chance(order_id, 'refund', 17) AND (part = 1 OR chance(order_id, 'second refund', 35))
)
SELECT
  order_id * 10 + part AS refund_id,
  order_id,
  (['approved', 'approved', 'approved', 'rejected', 'pending'])[pick(k, 'refund status', 5) + 1] AS status,
  (['damaged', 'late', 'not as described', 'changed mind'])[pick(k, 'reason', 4) + 1] AS reason,
  created_at + to_hours(24 + pick(k, 'request lag', 200)) AS requested_at,
  -- The bank's date; the ledger books turned down requests on the day of the decision.
  created_at + to_hours(24 + pick(k, 'request lag', 200) + 12 + pick(k, 'refund lag', 260)) AS refunded_at,
  150 + pick(k, 'refund cents', 7000) AS amount_cents,
  150 + pick(k, 'refund cents', 7000) + pick(k, 'asked for', 2500) AS requested_cents
FROM raw
WHERE created_at + to_hours(24 + pick(k, 'request lag', 200) + 12 + pick(k, 'refund lag', 260)) < TIMESTAMP '2026-01-03'
ORDER BY requested_at, refund_id;

------------------------------------------------------------------------------------------------------------- ads

CREATE TABLE ads.campaigns AS
SELECT
  100 + i AS campaign_id,
  (['Payday', 'Flash', 'Brand', 'Retarget', 'Launch', 'Voucher'])[pick(i, 'theme', 6) + 1] || ' '
    || (['ID', 'TH', 'PH', 'SG', 'MY', 'VN'])[i % 6 + 1] || ' ' || (i // 6 + 1) AS name,
  (['ID', 'TH', 'PH', 'SG', 'MY', 'VN'])[i % 6 + 1] AS market,
  (['sales', 'traffic', 'awareness'])[pick(i, 'objective', 3) + 1] AS objective,
  -- Our own banners: they cost nothing real and are left out of every figure.
  i // 6 IN (2, 5) AS is_house,
  i // 6 <> 3 AS is_active
FROM range(0, 42) AS t(i);

CREATE TABLE ads.campaign_daily AS
SELECT
  campaign_id,
  market,
  day AS report_date,
  platform,
  device_type,
  is_house,
  impressions,
  organic_impressions,
  clicks,
  sponsored_clicks,
  CASE WHEN pick(k, 'no conversions', 5) > 0 THEN clicks * (2 + pick(k, 'conversions', 6)) // 100 END AS conversions,
  (clicks * (11 + pick(k, 'cpc', 14)) / 100.0)::DECIMAL(12, 2) AS cost,
  (clicks * (16 + pick(k, 'budget', 18)) / 100.0)::DECIMAL(12, 2) AS budget,
  (clicks * (30 + pick(k, 'return', 70)) / 100.0)::DECIMAL(12, 2) AS attributed_revenue
FROM (
  SELECT *, impressions * (9 + pick(k, 'ctr', 25)) // 1000 AS clicks, impressions * (4 + pick(k, 'sponsored', 9)) // 1000 AS sponsored_clicks
  FROM (
    -- The campaigns that were stopped had been the expensive ones.
    SELECT c.campaign_id, c.market, c.is_house, d.day, platform, device_type,
      d.k || c.campaign_id || platform || device_type AS k,
      (d.volume * (CASE WHEN c.is_active THEN 120 ELSE 420 END + pick(c.campaign_id, 'reach', 400) + pick(d.k || c.campaign_id || platform || device_type, 'impressions', 160)))::BIGINT AS impressions,
      (d.volume * (60 + pick(d.k || c.campaign_id || platform || device_type, 'organic', 120)))::BIGINT AS organic_impressions
    FROM ads.campaigns c
    JOIN day d ON d.market = c.market AND d.tz_type = 'local'
    -- A campaign runs about one day in three, on one platform and two devices.
    CROSS JOIN (VALUES ('google'), ('meta'), ('tiktok')) AS platforms(platform)
    CROSS JOIN (VALUES ('app'), ('web')) AS devices(device_type)
    WHERE pick(c.campaign_id || strftime(d.day, '%Y%m%d') || platform, 'runs', 9) = 0
  )
)
ORDER BY report_date, campaign_id, platform, device_type;

--------------------------------------------------------------------------------------------------------- support

CREATE TABLE support.agents AS
SELECT
  20 + i AS agent_id,
  (['Ayu', 'Bima', 'Chai', 'Dewi', 'Emil', 'Fah', 'Grace', 'Hoa', 'Intan', 'Jun', 'Kamol', 'Linh'])[i % 12 + 1] || ' ' || (i // 12 + 1) AS name,
  (['payments', 'delivery', 'returns'])[pick(i, 'team', 3) + 1] AS team,
  chance(i, 'outsourced', 30) AS is_outsourced
FROM range(0, 24) AS t(i);

CREATE TABLE support.tickets AS
WITH raw AS (
  SELECT i, market_of(i, 'ticket market') AS market, moment(i, 'ticket') AS created_at
  FROM range(1, 14001) AS t(i)
)
SELECT
  40000 + i AS ticket_id,
  20 + least(pick(i, 'agent', 24), pick(i, 'or agent', 24)) AS agent_id,
  500000 + pick(i, 'ticket account', 12000) AS account_id,
  market,
  (['chat', 'chat', 'email', 'phone'])[pick(i, 'ticket channel', 4) + 1] AS channel,
  (['delivery', 'delivery', 'payment', 'returns', 'account'])[pick(i, 'topic', 5) + 1] AS topic,
  (['low', 'normal', 'normal', 'high', 'urgent'])[pick(i, 'priority', 5) + 1] AS priority,
  created_at,
  CASE WHEN chance(i, 'answered', 94) THEN created_at + to_minutes(4 + pick(i, 'reply lag', 1500)) END AS first_reply_at,
  CASE WHEN chance(i, 'resolved', 88) THEN created_at + to_minutes(1600 + pick(i, 'resolve lag', 26000)) END AS resolved_at,
  CASE WHEN chance(i, 'rated', 45) THEN (1 + greatest(pick(i, 'csat', 5), pick(i, 'or csat', 5)))::INTEGER END AS csat,
  CASE WHEN chance(i, 'rated', 45) THEN (1 + least(pick(i, 'effort', 7), pick(i, 'or effort', 7)))::INTEGER END AS effort_score,
  chance(i, 'spam', 8) AS is_spam,
  chance(i, 'escalated', 9) AS is_escalated
FROM raw ORDER BY created_at, ticket_id;

----------------------------------------------------------------------------------------------------------- edges
-- Rows exactly where questions of the benchmark draw a line, so that a line drawn wrong shows in the answer.

-- A wave of visits to phones, as many as make that page tie with the flash sale; two more at both ends of a day.
INSERT INTO traffic.visits
SELECT 60001 + n, 2000000 + n, NULL, 'PH', 'android', 'social', '/category/phones',
  TIMESTAMP '2025-03-03 09:00:00' + to_minutes(n), TIMESTAMP '2025-03-03 10:00:00' + to_minutes(n), 3, 60, false, false
FROM range(98) AS t(n);
INSERT INTO traffic.visits VALUES
  (60101, 2000101, NULL, 'PH', 'ios', 'direct', '/help', '2025-11-11 00:00:00', '2025-11-11 00:10:00', 2, 30, false, false),
  (60102, 2000102, NULL, 'PH', 'ios', 'direct', '/help', '2025-11-12 00:00:00', '2025-11-12 00:10:00', 2, 30, false, false);

-- Paid at midnight on the first day of a period, and on the first day after it.
INSERT INTO commerce.orders VALUES
  (730001, 508401, 908401, NULL, 'TH', 'android', 'email', 'completed', false, false, '2025-12-12 00:00:00', '2025-12-12 00:00:00', 21.50, 25.10, 1.90, NULL),
  (730002, 508401, 908401, NULL, 'TH', 'android', 'email', 'completed', false, false, '2025-12-13 00:00:00', '2025-12-13 00:00:00', 18.90, 22.30, 1.90, NULL),
  (730003, 508601, 908601, NULL, 'VN', 'ios', 'direct', 'completed', false, false, '2025-11-01 00:00:00', '2025-11-01 00:00:00', 34.00, 39.20, 2.40, NULL),
  -- Two orders each of three accounts, of which one counts for the quarter only if its first moment does, one would
  -- count if the quarter ended a moment later, and one if it began a day earlier.
  (730004, 511001, 911001, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-07-01 00:00:00', '2025-07-01 00:00:00', 52.00, 58.00, 1.80, NULL),
  (730005, 511001, 911001, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-08-05 12:00:00', '2025-08-05 12:00:00', 27.00, 31.00, 1.80, NULL),
  (730006, 511002, 911002, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-10-01 00:00:00', '2025-10-01 00:00:00', 45.00, 50.00, 1.40, NULL),
  (730007, 511002, 911002, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-08-06 12:00:00', '2025-08-06 12:00:00', 33.00, 37.00, 1.40, NULL),
  (730008, 511003, 911003, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-06-30 20:00:00', '2025-06-30 20:00:00', 41.00, 46.00, 1.60, NULL),
  (730009, 511003, 911003, NULL, 'SG', 'ios', 'organic', 'completed', false, false, '2025-08-07 12:00:00', '2025-08-07 12:00:00', 29.00, 33.00, 1.60, NULL),
  -- Bulk orders on the last and the first day of a quarter.
  (730010, 511101, 911101, NULL, 'MY', 'ios', 'organic', 'completed', false, false, '2025-09-30 12:00:00', '2025-09-30 12:00:00', 88.00, 96.00, 2.60, NULL),
  (730011, 511102, 911102, NULL, 'MY', 'ios', 'organic', 'completed', false, false, '2025-07-01 12:00:00', '2025-07-01 12:00:00', 132.00, 141.00, 2.60, NULL);
INSERT INTO commerce.order_items VALUES
  (730001, 1, 3010, 2, 0, 1075, NULL),
  (730003, 1, 3020, 4, 0, 850, NULL),
  (730010, 1, 3030, 40, 0, 220, NULL),
  (730011, 1, 3030, 60, 0, 220, NULL);
INSERT INTO commerce.refunds VALUES
  (7229621, 722962, 'approved', 'late', '2025-07-30 10:00:00', '2025-08-01 00:00:00', 1210, 1500),
  (7280951, 728095, 'approved', 'damaged', '2025-08-28 10:00:00', '2025-09-01 00:00:00', 2340, 2400),
  (7038091, 703809, 'approved', 'late', '2025-09-28 10:00:00', '2025-10-01 00:00:00', 3160, 3160),
  (7090391, 709039, 'approved', 'late', '2025-06-28 10:00:00', '2025-07-01 00:00:00', 2890, 2890);

-- The campaigns that lead a period, on its first and last days and on those beside them.
INSERT INTO ads.campaign_daily VALUES
  (110, 'MY', '2025-10-31', 'google', 'app', false, 5200, 900, 96, 51, 4, 17.30, 21.10, 60.20),
  (134, 'MY', '2025-10-31', 'meta', 'web', false, 4100, 800, 71, 40, 3, 12.40, 15.00, 41.70),
  (101, 'TH', '2025-07-01', 'google', 'app', false, 6100, 700, 103, 52, 4, 18.20, 22.00, 61.40),
  (101, 'TH', '2025-10-01', 'google', 'app', false, 6400, 700, 108, 55, 5, 19.10, 23.40, 66.00),
  (101, 'TH', '2025-12-31', 'google', 'app', false, 6900, 800, 117, 60, 5, 20.70, 25.20, 70.30),
  (101, 'TH', '2026-01-01', 'google', 'app', false, 6600, 800, 111, 58, 5, 19.60, 24.00, 67.10),
  (105, 'VN', '2026-01-01', 'meta', 'web', false, 4800, 600, 84, 41, 3, 14.90, 18.30, 29.80),
  (102, 'PH', '2025-12-31', 'tiktok', 'app', false, 9100, 600, 61, 33, 2, 11.20, 13.90, 37.50);

-- Agents with 30 and with 31 tickets of the year, and tickets opened or resolved as a period begins or ends.
INSERT INTO support.tickets
SELECT 54001 + n, 41, 501000 + n, 'VN', 'chat', 'delivery', 'normal', TIMESTAMP '2025-06-10 08:00:00' + to_hours(n),
  TIMESTAMP '2025-06-10 08:30:00' + to_hours(n), NULL, NULL, NULL, false, false
FROM range(7) AS t(n);
INSERT INTO support.tickets VALUES
  (54008, 39, 501008, 'VN', 'chat', 'delivery', 'normal', '2025-06-10 08:00:00', '2025-06-10 08:30:00', NULL, NULL, NULL, false, false),
  (54009, 22, 501009, 'MY', 'email', 'payment', 'high', '2025-10-30 08:00:00', '2025-10-30 09:00:00', '2025-11-01 00:00:00', 1, 5, false, false),
  (54010, 22, 501010, 'MY', 'email', 'payment', 'high', '2025-11-28 08:00:00', '2025-11-28 09:00:00', '2025-12-01 00:00:00', 1, 5, false, false),
  (54011, 23, 501011, 'VN', 'email', 'payment', 'high', '2025-06-28 08:00:00', '2025-06-28 09:00:00', '2025-07-01 00:00:00', 1, 5, false, false),
  (54012, 23, 501012, 'VN', 'email', 'payment', 'high', '2025-09-28 08:00:00', '2025-09-28 09:00:00', '2025-10-01 00:00:00', 1, 5, false, false),
  (54013, 24, 501013, 'ID', 'chat', 'account', 'low', '2025-10-28 08:00:00', '2025-10-28 09:00:00', '2025-11-01 00:00:00', NULL, NULL, false, false),
  (54014, 24, 501014, 'TH', 'chat', 'account', 'low', '2025-06-28 08:00:00', '2025-06-28 09:00:00', '2025-07-01 00:00:00', NULL, NULL, false, false),
  (54015, 24, 501015, 'PH', 'chat', 'account', 'low', '2025-01-01 00:00:00', '2025-01-01 01:00:00', NULL, NULL, NULL, false, false),
  (54016, 24, 501016, 'PH', 'chat', 'account', 'low', '2026-01-01 00:00:00', '2026-01-01 01:00:00', NULL, NULL, NULL, false, false);

DROP TABLE day;
DROP MACRO pick;
DROP MACRO chance;
DROP MACRO moment;
DROP MACRO market_of;
